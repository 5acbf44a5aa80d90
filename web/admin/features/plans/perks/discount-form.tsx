import { Button, Fieldset, Group, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { type PerkFormProps, PerkParts } from './perk-parts.tsx'
import { ReductionFields } from './reduction-fields.tsx'
import { usePerksTexts } from './texts.ts'
import { type DiscountValues, discountBody, discountValues } from './values.ts'

/** Member prices: what is taken off each piece, and more from a number of pieces on. */
export function DiscountForm(props: PerkFormProps) {
  const texts = usePerksTexts()
  const form = useForm<DiscountValues>({ initialValues: discountValues(props.plan.perks.discount) })
  return (
    <PerkParts {...props} perk="discount" form={form} body={discountBody}>
      <ReductionFields form={form} />
      <Steps form={form} />
      <Select
        label={texts.priceBase}
        description={texts.priceBaseHelp}
        data={Object.entries(texts.priceBases).map(([value, label]) => ({ value, label }))}
        allowDeselect={false}
        {...form.getInputProps('price_base')}
      />
      <Switch
        label={texts.renewals}
        description={texts.renewalsHelp}
        {...form.getInputProps('stack_with_subscriptions', { type: 'checkbox' })}
      />
    </PerkParts>
  )
}

function Steps({ form }: { form: UseFormReturnType<DiscountValues> }) {
  const texts = usePerksTexts()
  const { steps } = form.getValues()
  const add = () => {
    const { type, value, quantity } = steps.at(-1) ?? { ...form.getValues(), quantity: '1' }
    form.insertListItem('steps', { type, value, quantity: String((Number(quantity) || 1) + 2) })
  }
  return (
    <Fieldset legend={texts.steps} p="xs">
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          {texts.stepsHelp}
        </Text>
        {steps.map(({ type }, i) => (
          <Group
            // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place
            key={i}
            gap="xs"
            align="flex-start"
          >
            <TextInput label={texts.from} inputMode="numeric" w={90} {...form.getInputProps(`steps.${i}.quantity`)} />
            <Select
              label={texts.type}
              data={Object.entries(texts.types).map(([value, label]) => ({ value, label }))}
              allowDeselect={false}
              flex={1}
              miw={150}
              {...form.getInputProps(`steps.${i}.type`)}
            />
            <TextInput
              label={texts.value[type]}
              inputMode="decimal"
              w={110}
              {...form.getInputProps(`steps.${i}.value`)}
            />
            <Button variant="subtle" size="xs" mt={28} onClick={() => form.removeListItem('steps', i)}>
              {texts.removeStep}
            </Button>
          </Group>
        ))}
        <Group>
          <Button variant="default" size="xs" onClick={add}>
            {texts.addStep}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  )
}
