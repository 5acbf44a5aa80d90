import { Textarea } from '@mantine/core'
import { ActionForm } from '../../../shared/forms/action-form.tsx'
import type { Subscription } from '../queries.ts'
import { useSubscriptionsTexts } from '../texts.ts'
import { useActions } from './requests.ts'

export function NoteButton({ subscription }: { subscription: Subscription }) {
  const { note: texts } = useSubscriptionsTexts()
  const { note } = useActions(subscription.id)
  return (
    <ActionForm texts={texts} values={{ note: '' }} send={({ note: text = '' }) => note({ note: text })}>
      {(field) => <Textarea label={texts.note} autosize minRows={2} maxRows={8} required {...field('note')} />}
    </ActionForm>
  )
}
