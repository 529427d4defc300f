// What a Run made.

import { useQuery } from "@tanstack/react-query";
import { FileText } from "lucide-react";
import { useMemo } from "react";
import { artifactLink } from "~/api/artifacts";
import { isRecorded } from "~/api/recorded";
import { runOutcome } from "~/api/runs";
import { run as text } from "~/text/en/run";
import { CopyButton } from "~/ui/CopyButton";
import { Mono } from "~/ui/KeyValue";
import { SkeletonLines } from "~/ui/Skeleton";
import { isActive } from "./useRunRecord";

interface Artifact {
  artifact_id: string;
  name: string;
  sha256: string;
}

export function Artifacts({ runId }: { runId: string }) {
  const { data } = useQuery(runOutcome(runId));
  if (data === undefined) return <SkeletonLines lines={1} />;
  if (data.artifacts.length === 0) {
    return <p className="text-ink-2 text-sm">{isActive(data) ? text.artifacts.none : text.artifacts.noneMade}</p>;
  }
  return (
    <ul className="flex flex-col gap-2">
      {data.artifacts.map((artifact) => (
        <li key={artifact.artifact_id}>
          <ArtifactLink artifact={artifact} />
        </li>
      ))}
    </ul>
  );
}

export function ArtifactLink({ artifact }: { artifact: Artifact }) {
  const link = useMemo(() => artifactLink(artifact.artifact_id), [artifact.artifact_id]);
  return (
    <div className="flex min-w-0 items-center gap-3 rounded-md border border-line px-3 py-2">
      <FileText aria-hidden className="size-4 shrink-0 text-accent" />
      <div className="min-w-0 flex-1">
        {link === null ? (
          <span className="font-medium text-sm">{artifact.name}</span>
        ) : (
          <a
            href={link}
            {...(isRecorded() ? { download: artifact.name } : { target: "_blank", rel: "noreferrer" })}
            aria-label={text.artifacts.open(artifact.name)}
            className="font-medium text-sm underline decoration-line-strong underline-offset-2 hover:text-accent"
          >
            {artifact.name}
          </a>
        )}
        <Mono cut>{artifact.sha256}</Mono>
      </div>
      <CopyButton value={artifact.sha256} />
    </div>
  );
}
