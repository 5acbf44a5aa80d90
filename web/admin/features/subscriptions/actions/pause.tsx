import { TextInput } from '@mantine/core'
import { ActionForm } from '../../../shared/forms/action-form.tsx'
import { integerOf } from '../../../shared/forms/integer-of.ts'
import type { Subscription } from '../queries.ts'
import { useSubscriptionsTexts } from '../texts.ts'
import { ActionPreview } from './preview.tsx'
import { useActions } from './requests.ts'

export function PauseButton({ subscription }: { subscription: Subscription }) {
  const { pause: texts } = useSubscriptionsTexts()
  const { pause } = useActions(subscription.id)
  return (
    <ActionForm
      texts={texts}
      values={{ duration: '' }}
      send={({ duration }) => pause(duration === undefined ? {} : { duration: integerOf(duration) })}
    >
      {(field) => (
        <>
          <ActionPreview subscription={subscription.id} action="pause" />
          <TextInput label={texts.days} description={texts.daysHelp} inputMode="numeric" {...field('duration')} />
        </>
      )}
    </ActionForm>
  )
}
