import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { useTexts } from '../../../shared/texts/language.tsx'
import { ConfirmButton } from '../../../shared/ui/confirm-button.tsx'
import { Dialog } from '../../../shared/ui/dialog.tsx'
import { ResendFailed } from '../deliveries/resend-failed.tsx'
import { deleteEndpoint, type Endpoint, enableEndpoint, endRoll } from '../queries.ts'
import { DisableEndpoint } from './disable-endpoint.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import { NewSecret, type Shown } from './new-secret.tsx'
import { RollSecret } from './roll-secret.tsx'
import { TestSend } from './test-send.tsx'
import { useEndpointsTexts } from './texts.ts'

type Enabled = Awaited<ReturnType<typeof enableEndpoint>>

/** All that can be done with an endpoint. */
export function EndpointActions({ endpoint }: { endpoint: Endpoint }) {
  const { id } = useKnownStore()
  const navigate = useNavigate()
  const texts = useEndpointsTexts()
  const { common } = useTexts()
  const [open, setOpen] = useState<'test' | 'edit' | 'roll' | 'disable' | null>(null)
  const [rolled, setRolled] = useState<Shown | null>(null)
  const [enabled, setEnabled] = useState<Enabled | null>(null)
  const close = () => setOpen(null)
  const isEnabled = endpoint.status === 'enabled'
  return (
    <Group gap="xs">
      <Button size="xs" disabled={!isEnabled} onClick={() => setOpen('test')}>
        {texts.testSend}
      </Button>
      <Button variant="default" size="xs" onClick={() => setOpen('edit')}>
        {common.edit}
      </Button>
      <Button variant="default" size="xs" onClick={() => setOpen('roll')}>
        {texts.roll}
      </Button>
      {endpoint.previous_secret_until && (
        <ConfirmButton
          label={texts.endRoll}
          title={texts.endRollTitle}
          text={texts.endRollText}
          isHarmful
          change={() => endRoll(id, endpoint.id)}
          done={texts.rollEnded}
        />
      )}
      {isEnabled ? (
        <Button variant="default" size="xs" onClick={() => setOpen('disable')}>
          {texts.disable}
        </Button>
      ) : (
        <ConfirmButton
          label={texts.enable}
          title={texts.enableTitle}
          text={texts.enableText}
          change={async () => setEnabled(await enableEndpoint(id, endpoint.id))}
          done={texts.enabled}
        />
      )}
      <ConfirmButton
        label={texts.remove}
        title={texts.removeTitle}
        text={texts.removeText}
        isHarmful
        change={async () => {
          await deleteEndpoint(id, endpoint.id)
          // Before everything is read again, which would not find it.
          await navigate(`/stores/${id}/webhooks`)
        }}
        done={texts.removed}
      />
      {open === 'test' && <TestSend endpoint={endpoint} onClose={close} />}
      {open === 'edit' && <EndpointForm endpoint={endpoint} onClose={close} />}
      {open === 'disable' && <DisableEndpoint endpoint={endpoint} onClose={close} />}
      {open === 'roll' && (
        <RollSecret
          endpoint={endpoint}
          onClose={close}
          onRolled={(made) => {
            close()
            setRolled(made)
          }}
        />
      )}
      <NewSecret made={rolled} onClose={() => setRolled(null)} />
      {enabled && <Missed enabled={enabled} onClose={() => setEnabled(null)} />}
    </Group>
  )
}

/** What an endpoint did not get while it was disabled, and the way to send it. */
function Missed({ enabled, onClose }: { enabled: Enabled; onClose: () => void }) {
  const { timezone } = useKnownStore()
  const texts = useEndpointsTexts()
  const { common } = useTexts()
  const { count, time } = useFormats()
  const [isSending, setSending] = useState(false)
  const { id: endpoint, undelivered_since: since, missed_events: events, missed_after_sequence: after } = enabled
  if (isSending && since) return <ResendFailed since={since} endpoint={endpoint} isMissed onClose={onClose} />
  const isNothing = since === null || after === null
  return (
    <Dialog title={texts.missedTitle} isOpen onClose={onClose}>
      <Stack>
        {isNothing && <Text size="sm">{texts.missedNothing}</Text>}
        {!isNothing && events > 0 && <Text size="sm">{texts.missedText(count(events))}</Text>}
        {!isNothing && <Text size="sm">{texts.undeliveredText(time(since, timezone))}</Text>}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.close}
          </Button>
          {!isNothing && <Button onClick={() => setSending(true)}>{texts.sendMissed}</Button>}
        </Group>
      </Stack>
    </Dialog>
  )
}
