import { Group, Stack, Text } from '@mantine/core'
import { May } from '../../../shared/session/may.tsx'
import { ConfirmButton } from '../../../shared/ui/confirm-button.tsx'
import type { Subscription } from '../queries.ts'
import { useSubscriptionsTexts } from '../texts.ts'
import { CancelButton } from './cancel.tsx'
import { ChangeButton } from './change.tsx'
import { GiftButton } from './gift.tsx'
import { NoteButton } from './note.tsx'
import { PauseButton } from './pause.tsx'
import { ActionPreview } from './preview.tsx'
import { useActions } from './requests.ts'
import { ResumeButton } from './resume.tsx'
import { SkipButton } from './skip.tsx'

/** What can be done with a subscription as it is now. */
export function Actions({ subscription }: { subscription: Subscription }) {
  const texts = useSubscriptionsTexts()
  const { reactivate, revokeGift } = useActions(subscription.id)
  const { status, reactivatable_until, gift, plan_id } = subscription
  const isLive = status === 'active' || status === 'paused'
  return (
    <May permission="support">
      <Group gap="xs">
        {status === 'active' && <PauseButton subscription={subscription} />}
        {status === 'paused' && <ResumeButton subscription={subscription} />}
        {status === 'active' && <SkipButton subscription={subscription} />}
        {isLive && <ChangeButton subscription={subscription} />}
        {isLive && plan_id !== null && <GiftButton subscription={subscription} />}
        {isLive && gift !== null && <ConfirmButton {...texts.revokeGift} change={revokeGift} />}
        {reactivatable_until !== null && (
          <ConfirmButton
            {...texts.reactivate}
            text={
              <Stack gap="xs">
                <Text size="sm">{texts.reactivate.text}</Text>
                <ActionPreview subscription={subscription.id} action="reactivate" />
              </Stack>
            }
            change={reactivate}
          />
        )}
        <NoteButton subscription={subscription} />
        {isLive && <CancelButton subscription={subscription} />}
      </Group>
    </May>
  )
}
