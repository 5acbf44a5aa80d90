import { Textarea, TextInput } from '@mantine/core'
import { ActionForm } from '../../../shared/forms/action-form.tsx'
import type { Subscription } from '../queries.ts'
import { useSubscriptionsTexts } from '../texts.ts'
import { ActionPreview } from './preview.tsx'
import { useActions } from './requests.ts'

export function CancelButton({ subscription }: { subscription: Subscription }) {
  const { cancel: texts } = useSubscriptionsTexts()
  const { cancel } = useActions(subscription.id)
  return (
    <ActionForm texts={texts} values={{ reason: '', comment: '' }} send={cancel} isHarmful>
      {(field) => (
        <>
          <ActionPreview subscription={subscription.id} action="cancel" />
          <TextInput label={texts.reason} {...field('reason')} />
          <Textarea label={texts.comment} autosize minRows={2} maxRows={8} {...field('comment')} />
        </>
      )}
    </ActionForm>
  )
}
