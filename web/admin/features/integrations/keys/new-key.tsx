import { CodeBlock } from '../../../shared/ui/code-block.tsx'
import { OnceDialog } from '../../../shared/ui/once-dialog.tsx'
import { useKeysTexts } from './texts.ts'

/** A key that was made just now, with a first request. */
export function NewKey({ made, onClose }: { made: { name: string; key: string } | null; onClose: () => void }) {
  const texts = useKeysTexts()
  const request = `curl "${location.origin}/v1/members?limit=1" \\\n  -H "Authorization: Bearer ${made?.key}"`
  return (
    <OnceDialog
      title={texts.createdTitle(made?.name ?? '')}
      label={texts.theKey}
      secret={made?.key ?? null}
      text={texts.keepSafe}
      onClose={onClose}
    >
      <CodeBlock label={texts.tryIt} text={request} />
    </OnceDialog>
  )
}
