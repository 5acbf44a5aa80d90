import { Group } from '@mantine/core'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useFormats } from '../../../shared/format/formats.ts'
import { May } from '../../../shared/session/may.tsx'
import { ConfirmButton } from '../../../shared/ui/confirm-button.tsx'
import type { Subscription } from '../queries.ts'
import { useSubscriptionsTexts } from '../texts.ts'
import { CancelButton } from './cancel.tsx'
import { ChangeButton } from './change.tsx'
import { GiftButton } from './gift.tsx'
import { NoteButton } from './note.tsx'
import { PauseButton } from './pause.tsx'
import { useActions } from './requests.ts'
import { ResumeButton } from './resume.tsx'

/** What can be done with a subscription as it is now. */
export function Actions({ subscription }: { subscription: Subscription }) {
  const { timezone } = useKnownStore()
  const texts = useSubscriptionsTexts()
  const { day } = useFormats()
  const { skip, reactivate, revokeGift } = useActions(subscription.id)
  const { status, next_billing_date, reactivatable_until, gift, plan_id } = subscription
  const isLive = status === 'active' || status === 'paused'
  return (
    <May permission="support">
      <Group gap="xs">
        {status === 'active' && <PauseButton subscription={subscription} />}
        {status === 'paused' && <ResumeButton subscription={subscription} />}
        {status === 'active' && next_billing_date !== null && (
          <ConfirmButton {...texts.skip} text={texts.skip.text(day(next_billing_date, timezone))} change={skip} />
        )}
        {isLive && <ChangeButton subscription={subscription} />}
        {isLive && plan_id !== null && <GiftButton subscription={subscription} />}
        {isLive && gift !== null && <ConfirmButton {...texts.revokeGift} change={revokeGift} />}
        {reactivatable_until !== null && <ConfirmButton {...texts.reactivate} change={reactivate} />}
        <NoteButton subscription={subscription} />
        {isLive && <CancelButton subscription={subscription} />}
      </Group>
    </May>
  )
}
