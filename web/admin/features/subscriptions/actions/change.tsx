import { NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { plansQuery } from '../../../shared/api/plans.ts'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { ActionForm } from '../../../shared/forms/action-form.tsx'
import type { Subscription } from '../queries.ts'
import { useSubscriptionsTexts } from '../texts.ts'
import { useActions } from './requests.ts'

export function ChangeButton({ subscription }: { subscription: Subscription }) {
  const { id: store } = useKnownStore()
  const { change: texts } = useSubscriptionsTexts()
  const { change } = useActions(subscription.id)
  const { data: plans = [] } = useQuery(plansQuery(store))
  return (
    <ActionForm texts={texts} values={{ next_billing_date: '', plan_id: '', price: '' }} send={change}>
      {(field) => (
        <>
          <TextInput type="date" label={texts.date} {...field('next_billing_date')} />
          {subscription.plan_id !== null && (
            <NativeSelect
              label={texts.plan}
              data={[
                { value: '', label: '–' },
                ...plans
                  .filter(({ id }) => id !== subscription.plan_id)
                  .map(({ id, name }) => ({ value: id, label: name }))
              ]}
              {...field('plan_id')}
            />
          )}
          <TextInput label={`${texts.price} (${subscription.currency})`} inputMode="decimal" {...field('price')} />
        </>
      )}
    </ActionForm>
  )
}
