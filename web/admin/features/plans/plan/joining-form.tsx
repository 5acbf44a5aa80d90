import { Select, SimpleGrid, TagsInput, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { FormParts } from '../../../shared/forms/form-parts.tsx'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import { useTexts } from '../../../shared/texts/language.tsx'
import { changePlan, type Plan, type PlanChange, readPlan } from '../queries.ts'
import { usePlansTexts } from '../texts.ts'
import { usePlanTexts } from './texts.ts'

const valuesOf = (plan: Plan) => ({
  status: plan.status as string,
  trial_type: (plan.trial_type ?? '') as '' | 'days' | 'next_billing_date',
  trial_days: String(plan.trial_days || 14),
  trial_price: String(plan.trial_price ?? '0'),
  max_cycles: plan.max_cycles === null ? '' : String(plan.max_cycles),
  allowed_countries: plan.allowed_countries,
  product_ids: plan.product_ids
})

type Values = ReturnType<typeof valuesOf>

/** Who may join a plan from now on, and on which terms. */
export function JoiningForm({ plan, onClose }: { plan: Plan; onClose: () => void }) {
  const { id } = useKnownStore()
  const texts = usePlanTexts()
  const { statuses, productIds } = usePlansTexts()
  const { common } = useTexts()
  const form = useForm({ initialValues: valuesOf(plan) })
  const submit = useSubmit(form, {
    send: (values) => changePlan(id, plan.id, changeOf(plan, values)),
    done: common.saved,
    onDone: onClose,
    unlessChanged: { opened: valuesOf(plan), read: async () => valuesOf(await readPlan(id, plan.id)) }
  })
  const { trial_type: trialType } = form.getValues()
  return (
    <FormParts submit={submit} submitLabel={common.save} onClose={onClose}>
      <Text size="sm">{texts.editText}</Text>
      <Select
        label={texts.status}
        description={texts.statusHelp}
        data={Object.entries(statuses).map(([value, label]) => ({ value, label }))}
        allowDeselect={false}
        {...form.getInputProps('status')}
        data-autofocus
      />
      <Select
        label={texts.trialType}
        data={Object.entries(texts.trialTypes).map(([value, label]) => ({ value, label }))}
        allowDeselect={false}
        {...form.getInputProps('trial_type')}
      />
      {trialType !== '' && (
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          {trialType === 'days' && (
            <TextInput label={texts.days} inputMode="numeric" {...form.getInputProps('trial_days')} />
          )}
          <TextInput
            label={texts.trialPrice}
            description={texts.trialPriceHelp}
            inputMode="decimal"
            {...form.getInputProps('trial_price')}
          />
        </SimpleGrid>
      )}
      <TextInput
        label={texts.maxCycles}
        description={texts.maxCyclesHelp}
        inputMode="numeric"
        {...form.getInputProps('max_cycles')}
      />
      <TagsInput
        label={texts.countriesLabel}
        description={texts.countriesHelp}
        {...form.getInputProps('allowed_countries')}
      />
      {plan.type === 'product' && (
        <TagsInput label={productIds} description={texts.productsHelp} {...form.getInputProps('product_ids')} />
      )}
      <Text size="sm" c="dimmed">
        {texts.keeps}
      </Text>
    </FormParts>
  )
}

function changeOf(plan: Plan, values: Values): PlanChange {
  const { trial_type, max_cycles } = values
  return {
    status: values.status as Plan['status'],
    trial_type: trial_type || null,
    ...(trial_type === 'days' && { trial_days: wholeOr(values.trial_days) }),
    ...(trial_type !== '' && { trial_price: values.trial_price.trim() }),
    max_cycles: max_cycles.trim() === '' ? null : wholeOr(max_cycles),
    allowed_countries: values.allowed_countries.map((country) => country.trim().toUpperCase()),
    ...(plan.type === 'product' && { product_ids: values.product_ids })
  }
}

/** A number where it is one; what else was typed is refused at its field. */
const wholeOr = (text: string) => (/^[0-9]+$/.test(text.trim()) ? Number(text) : text) as number
