import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { ActionForm } from '../../../shared/forms/action-form.tsx'
import { alsoTelling } from '../../../shared/forms/also-telling.ts'
import type { Subscription } from '../queries.ts'
import { useSubscriptionsTexts } from '../texts.ts'
import { ActionPreview } from './preview.tsx'
import { useActions } from './requests.ts'

export function ResumeButton({ subscription }: { subscription: Subscription }) {
  const { resume: texts } = useSubscriptionsTexts()
  const { resume } = useActions(subscription.id)
  const [date, setDate] = useState('')
  return (
    <ActionForm texts={texts} values={{ next_billing_date: '' }} send={resume}>
      {(field) => (
        <>
          <ActionPreview
            subscription={subscription.id}
            action="resume"
            entered={date === '' ? {} : { next_billing_date: date }}
          />
          <TextInput
            type="date"
            label={texts.date}
            description={texts.dateHelp}
            {...alsoTelling(field('next_billing_date'), setDate)}
          />
        </>
      )}
    </ActionForm>
  )
}
