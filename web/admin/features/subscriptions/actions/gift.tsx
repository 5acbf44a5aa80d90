import { TextInput } from '@mantine/core'
import { ActionForm } from '../../../shared/forms/action-form.tsx'
import type { Subscription } from '../queries.ts'
import { useSubscriptionsTexts } from '../texts.ts'
import { useActions } from './requests.ts'

export function GiftButton({ subscription }: { subscription: Subscription }) {
  const { giftAction: texts } = useSubscriptionsTexts()
  const { gift } = useActions(subscription.id)
  return (
    <ActionForm texts={texts} values={{ receiver: '' }} send={({ receiver = '' }) => gift({ receiver })}>
      {(field) => <TextInput label={texts.receiver} description={texts.receiverHelp} required {...field('receiver')} />}
    </ActionForm>
  )
}
