import { Select, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useFormats } from '../../../shared/format/formats.ts'
import { type PerkFormProps, PerkParts } from './perk-parts.tsx'
import { usePerksTexts } from './texts.ts'

/** How members spend their store credit; how much it is belongs to a version of the plan. */
export function StoreCreditForm(props: PerkFormProps) {
  const texts = usePerksTexts()
  const { money } = useFormats()
  const { perks, credit, currency } = props.plan
  const form = useForm({ initialValues: { type: perks.store_credit?.type ?? 'storecredit' } })
  return (
    <PerkParts {...props} perk="store_credit" form={form} body={({ type }) => ({ type })} isPriced={false}>
      <Text size="sm">{texts.creditAmount(money(credit, currency))}</Text>
      <Select
        label={texts.creditType}
        data={Object.entries(texts.creditTypes).map(([value, label]) => ({ value, label }))}
        allowDeselect={false}
        {...form.getInputProps('type')}
        data-autofocus
      />
    </PerkParts>
  )
}
