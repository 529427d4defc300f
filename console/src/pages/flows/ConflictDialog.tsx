// Two windows changed the same flow: whose work stays is for a person to say.

import type { LoadedFlow } from "~/api/documents";
import { flows as text } from "~/text/en/flows";
import { Button } from "~/ui/Button";
import { Dialog } from "~/ui/Dialog";
import type { Saving } from "./useSaving";

const words = text.page.conflict;

interface ConflictDialogProps {
  saving: Saving;
  onReload: () => void;
  onCopied: (flow: LoadedFlow) => void;
}

export function ConflictDialog({ saving, onReload, onCopied }: ConflictDialogProps) {
  const close = () => saving.setConflict(false);
  return (
    <Dialog
      open={saving.conflict}
      onOpenChange={(open) => open || close()}
      title={words.title}
      width="md"
      footer={
        <>
          <Button
            onClick={async () => {
              const loaded = await saving.saveCopy();
              if (loaded !== null) onCopied(loaded);
            }}
          >
            {words.copy}
          </Button>
          <Button
            variant="danger"
            onClick={() => {
              close();
              onReload();
            }}
          >
            {words.reload}
          </Button>
          <Button variant="danger" onClick={() => void saving.saveOver()}>
            {words.overwrite}
          </Button>
        </>
      }
    >
      <p className="text-sm">
        {words.body(saving.theirs === null ? "" : new Date(saving.theirs).toLocaleTimeString("en"))}
      </p>
    </Dialog>
  );
}
