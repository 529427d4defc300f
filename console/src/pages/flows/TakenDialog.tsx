// Two flows under one id cannot be told apart by it: before a second one is saved, a person says what is meant.

import type { LoadedFlow } from "~/api/documents";
import { flows as text } from "~/text/en/flows";
import { Button } from "~/ui/Button";
import { Dialog } from "~/ui/Dialog";
import type { Saving } from "./useSaving";

const words = text.page.taken;

interface TakenDialogProps {
  saving: Saving;
  id: string;
  /** It was never saved, and so can become a version of the one that is. */
  isNew: boolean;
  onSaved: (flow: LoadedFlow) => void;
}

export function TakenDialog({ saving, id, isNew, onSaved }: TakenDialogProps) {
  const { taken } = saving;
  const close = () => saving.setTaken(null);
  const settle = async (saved: Promise<LoadedFlow | null>) => {
    const loaded = await saved;
    if (loaded !== null) onSaved(loaded);
  };
  return (
    <Dialog
      open={taken !== null}
      onOpenChange={(open) => open || close()}
      title={words.title(id)}
      width="md"
      footer={
        taken === null ? null : (
          <>
            <Button disabled={saving.isSaving} onClick={close}>
              {words.cancel}
            </Button>
            <Button disabled={saving.isSaving} onClick={() => void settle(saving.saveUnder(taken.free))}>
              {words.free(taken.free)}
            </Button>
            {isNew ? (
              <Button
                variant="primary"
                disabled={saving.isSaving}
                onClick={() => void settle(saving.saveAsVersion(taken.by))}
              >
                {words.version(taken.by.name)}
              </Button>
            ) : null}
          </>
        )
      }
    >
      <p className="text-sm">{taken === null ? null : words.body(taken.by.name, id)}</p>
      {isNew ? <p className="mt-2 text-ink-2 text-sm">{words.versionHint}</p> : null}
    </Dialog>
  );
}
