import { TextInput } from '@mantine/core'
import { ActionForm } from '../../../shared/forms/action-form.tsx'
import type { Subscription } from '../queries.ts'
import { useSubscriptionsTexts } from '../texts.ts'
import { ActionPreview } from './preview.tsx'
import { useActions } from './requests.ts'

export function ResumeButton({ subscription }: { subscription: Subscription }) {
  const { resume: texts } = useSubscriptionsTexts()
  const { resume } = useActions(subscription.id)
  return (
    <ActionForm texts={texts} values={{ next_billing_date: '' }} send={resume}>
      {(field) => (
        <>
          <ActionPreview subscription={subscription.id} action="resume" />
          <TextInput type="date" label={texts.date} description={texts.dateHelp} {...field('next_billing_date')} />
        </>
      )}
    </ActionForm>
  )
}
