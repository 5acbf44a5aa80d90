import { Radio, Select, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { api, bodyOf } from '../../../shared/api/client.ts'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { FormParts } from '../../../shared/forms/form-parts.tsx'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import type { PlanWithVersions, VersionPreview } from '../queries.ts'
import { usePlansTexts } from '../texts.ts'
import { ApplyVersion } from './apply-version.tsx'
import { usePlanTexts } from './texts.ts'
import type { VersionTarget, VersionTerms } from './version-terms.ts'

/** A new price in two steps: what it is, and whom it is for; then who is affected, before anything is done. */
export function NewVersion({ plan, onClose }: { plan: PlanWithVersions; onClose: () => void }) {
  const { id } = useKnownStore()
  const texts = usePlanTexts()
  const { interval, intervals, intervalCount, credit } = usePlansTexts()
  const [previewed, setPreviewed] = useState<{ preview: VersionPreview; terms: VersionTerms } | null>(null)
  const form = useForm({
    initialValues: {
      price: String(plan.price),
      interval: plan.interval as string,
      interval_count: String(plan.interval_count),
      credit: String(plan.credit),
      apply_to: 'new' as VersionTarget
    }
  })
  const target = form.getValues().apply_to
  const submit = useSubmit(form, {
    send: async (values) => {
      const terms = {
        price: values.price.trim(),
        interval: values.interval as VersionTerms['interval'],
        // What is no number is refused at its field.
        interval_count: values.interval_count as unknown as number,
        credit: values.credit.trim()
      }
      const query = { ...terms, apply_to: values.apply_to === 'new' ? ('list_price' as const) : values.apply_to }
      const params = { path: { store: id, plan: plan.id }, query }
      const preview = await bodyOf(api.GET('/stores/{store}/plans/{plan}/versions/preview', { params }))
      return { preview, terms: { ...terms, interval_count: preview.interval_count } }
    },
    onDone: setPreviewed
  })

  if (previewed) {
    return (
      <ApplyVersion plan={plan} target={target} {...previewed} onBack={() => setPreviewed(null)} onClose={onClose} />
    )
  }
  return (
    <FormParts submit={submit} submitLabel={texts.preview} onClose={onClose}>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label={texts.price}
          description={texts.priceHelp(plan.currency)}
          inputMode="decimal"
          {...form.getInputProps('price')}
          data-autofocus
        />
        <TextInput
          label={credit}
          description={texts.priceHelp(plan.currency)}
          inputMode="decimal"
          {...form.getInputProps('credit')}
        />
        <TextInput label={intervalCount} inputMode="numeric" {...form.getInputProps('interval_count')} />
        <Select
          label={interval}
          data={Object.entries(intervals).map(([value, label]) => ({ value, label }))}
          allowDeselect={false}
          {...form.getInputProps('interval')}
        />
      </SimpleGrid>
      <Radio.Group label={texts.applyTo} {...form.getInputProps('apply_to')}>
        <Stack gap="xs" mt={4}>
          <Radio value="new" label={texts.applyToNew} description={texts.applyToNewHelp} />
          <Radio value="list_price" label={texts.applyToListPrice} description={texts.applyToListPriceHelp} />
          <Radio value="all" label={texts.applyToAll} description={texts.applyToAllHelp} />
        </Stack>
      </Radio.Group>
    </FormParts>
  )
}
