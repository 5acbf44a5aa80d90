import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { ActionForm } from '../../../shared/forms/action-form.tsx'
import { alsoTelling } from '../../../shared/forms/also-telling.ts'
import { integerOf } from '../../../shared/forms/integer-of.ts'
import type { Subscription } from '../queries.ts'
import { useSubscriptionsTexts } from '../texts.ts'
import { ActionPreview } from './preview.tsx'
import { useActions } from './requests.ts'

const MAX_DAYS = 365

export function PauseButton({ subscription }: { subscription: Subscription }) {
  const { pause: texts } = useSubscriptionsTexts()
  const { pause } = useActions(subscription.id)
  const [typed, setTyped] = useState('')
  const days = Number(typed)
  const isLength = Number.isInteger(days) && days >= 1 && days <= MAX_DAYS
  return (
    <ActionForm
      texts={texts}
      values={{ duration: '' }}
      send={({ duration }) => pause(duration === undefined ? {} : { duration: integerOf(duration) })}
    >
      {(field) => (
        <>
          <ActionPreview subscription={subscription.id} action="pause" entered={isLength ? { duration: days } : {}} />
          <TextInput
            label={texts.days}
            description={texts.daysHelp}
            inputMode="numeric"
            {...alsoTelling(field('duration'), setTyped)}
          />
        </>
      )}
    </ActionForm>
  )
}
