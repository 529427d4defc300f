// What a Run was allowed to do when it was admitted.

import type { RunDetail } from "~/api/types";
import { EffectList } from "~/components/Authorization";
import { run as text } from "~/text/en/run";
import { KeyValue, Mono } from "~/ui/KeyValue";
import { exact } from "~/ui/time";

interface AuthorizedProps {
  authorization: NonNullable<RunDetail["authorization"]>;
  titleOf: (nodeId: string) => string;
}

export function Authorized({ authorization, titleOf }: AuthorizedProps) {
  return (
    <section aria-label={text.authorization.title}>
      <h2 className="mb-2 font-semibold text-sm">{text.authorization.title}</h2>
      {authorization.effects.length === 0 ? (
        <p className="text-ink-2 text-sm">{text.authorization.none}</p>
      ) : (
        <>
          <EffectList effects={authorization.effects} count={authorization.node_ids.length} titleOf={titleOf} />
          <KeyValue
            className="mt-2"
            facts={[
              [text.authorization.at, exact(authorization.recorded_at)],
              [
                text.authorization.id,
                authorization.authorization_id === null ? null : <Mono key="id">{authorization.authorization_id}</Mono>,
              ],
            ]}
          />
        </>
      )}
    </section>
  );
}
