// A form from a JSON Schema. Loaded when there is one to fill in.

import { lazy, Suspense } from "react";
import { SkeletonLines } from "~/ui/Skeleton";
import type { SchemaFormProps } from "./schemaForm/Form";

const Form = lazy(() => import("./schemaForm/Form"));

export function SchemaForm(props: SchemaFormProps) {
  return (
    <Suspense fallback={<SkeletonLines lines={4} />}>
      <Form {...props} />
    </Suspense>
  );
}
