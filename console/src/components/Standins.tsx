// What stands where a page should: it is being loaded, it broke, or there is none.

import type { ErrorComponentProps } from "@tanstack/react-router";
import { Compass } from "lucide-react";
import { common as text } from "~/text/en/common";
import { errors } from "~/text/en/errors";
import { ButtonLink } from "~/ui/Button";
import { Empty } from "~/ui/Empty";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { SkeletonLines } from "~/ui/Skeleton";
import { usePageTitle } from "./Page";

export function PagePending() {
  return (
    <div className="px-4 pt-4 sm:px-6">
      <SkeletonLines lines={6} />
    </div>
  );
}

export function PageFault({ error, reset }: ErrorComponentProps) {
  usePageTitle(errors.title);
  return (
    <div className="px-4 pt-4 sm:px-6">
      <h1 tabIndex={-1} className="sr-only">
        {errors.title}
      </h1>
      <ErrorNotice error={error} onRetry={reset} />
    </div>
  );
}

export function NotFound() {
  usePageTitle(text.notFound.title);
  return (
    <>
      <h1 tabIndex={-1} className="sr-only">
        {text.notFound.title}
      </h1>
      <Empty
        icon={Compass}
        title={text.notFound.title}
        action={
          <ButtonLink variant="primary" to="/">
            {text.notFound.home}
          </ButtonLink>
        }
      >
        {text.notFound.body}
      </Empty>
    </>
  );
}
