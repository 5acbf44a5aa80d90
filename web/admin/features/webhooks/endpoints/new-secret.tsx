import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { OnceDialog } from '../../../shared/ui/once-dialog.tsx'
import { useWebhooksTexts } from '../texts.ts'
import { useEndpointsTexts } from './texts.ts'

export type Shown = { secret: string; previous_secret_until: string | null }

/** The secret of a new endpoint, or a new one of another. */
export function NewSecret({ made, isNew, onClose }: { made: Shown | null; isNew?: boolean; onClose: () => void }) {
  const { id, timezone } = useKnownStore()
  const texts = useEndpointsTexts()
  const { tabs } = useWebhooksTexts()
  const { time } = useFormats()
  const until = made?.previous_secret_until
  const rolled = until ? texts.rolledText(time(until, timezone)) : texts.rolledAtOnce
  return (
    <OnceDialog
      title={isNew ? texts.createdTitle : texts.rolledTitle}
      label={texts.secret}
      secret={made?.secret ?? null}
      text={isNew ? texts.secretText : rolled}
      onClose={onClose}
    >
      <Anchor component={Link} to={`/stores/${id}/webhooks/signature`} target="_blank" size="sm" underline="always">
        {tabs.signature}
      </Anchor>
    </OnceDialog>
  )
}
