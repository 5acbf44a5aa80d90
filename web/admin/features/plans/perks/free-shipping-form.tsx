import { Select, TagsInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type PerkFormProps, PerkParts } from './perk-parts.tsx'
import { usePerksTexts } from './texts.ts'
import { type FreeShippingValues, freeShippingBody, freeShippingValues } from './values.ts'

export function FreeShippingForm(props: PerkFormProps) {
  const texts = usePerksTexts()
  const form = useForm<FreeShippingValues>({ initialValues: freeShippingValues(props.plan.perks.free_shipping) })
  const { threshold_type: threshold } = form.getValues()
  return (
    <PerkParts {...props} perk="free_shipping" form={form} body={freeShippingBody}>
      <TagsInput
        label={texts.countries}
        description={texts.countriesHelp}
        {...form.getInputProps('countries')}
        data-autofocus
      />
      <TextInput
        label={texts.method}
        description={texts.methodHelp}
        maxLength={255}
        {...form.getInputProps('method_name')}
      />
      <Select
        label={texts.threshold}
        data={Object.entries(texts.thresholds).map(([value, label]) => ({ value, label }))}
        allowDeselect={false}
        {...form.getInputProps('threshold_type')}
      />
      {threshold !== '' && (
        <TextInput
          label={texts.thresholdValue[threshold]}
          inputMode="decimal"
          {...form.getInputProps('threshold_value')}
        />
      )}
      <TextInput label={texts.message} maxLength={255} {...form.getInputProps('message')} />
    </PerkParts>
  )
}
