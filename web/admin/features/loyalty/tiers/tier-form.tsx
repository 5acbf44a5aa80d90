import { Fieldset, SimpleGrid, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { numberOr } from '../../../shared/forms/described-keys.ts'
import { FormParts } from '../../../shared/forms/form-parts.tsx'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import { useTexts } from '../../../shared/texts/language.tsx'
import { changeTier, createTier, readTier, type Tier } from '../queries.ts'
import { useLoyaltyTexts } from '../texts.ts'
import { useTierTexts } from './texts.ts'

type Numbers = Record<string, number | undefined>

const textOf = (value: number | undefined) => (value === undefined ? '' : String(value))

function valuesOf(tier: Tier | null) {
  const entry = (tier?.entry_rules ?? {}) as Numbers
  const reward = (tier?.reward_rules ?? {}) as Numbers
  return {
    name: tier?.name ?? '',
    description: tier?.description ?? '',
    points_earned: textOf(entry.points_earned),
    min_spend: textOf(entry.min_spend),
    min_orders: textOf(entry.min_orders),
    points: textOf(reward.points),
    discount: textOf(reward.discount),
    shipping_discount: reward.shipping_discount !== undefined,
    multiplier_points: textOf(tier?.multiplier_points ?? 1),
    order: textOf(tier?.order),
    tag: tier?.tag ?? '',
    is_active: tier?.is_active ?? true
  }
}

type Values = ReturnType<typeof valuesOf>

/** Only what was entered: an empty field is no condition. */
const entered = (entries: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(entries)
      .filter(([, text]) => text.trim() !== '')
      .map(([name, text]) => [name, numberOr(text)])
  )

function tierBody(values: Values) {
  const { points_earned, min_spend, min_orders, points, discount, shipping_discount, order } = values
  const rewards = { ...entered({ points, discount }), ...(shipping_discount && { shipping_discount: 100 }) }
  return {
    name: values.name,
    description: values.description,
    entry_rules: entered({ points_earned, min_spend, min_orders }) as Record<string, never>,
    reward_rules: rewards as Record<string, never>,
    ...(values.multiplier_points.trim() && { multiplier_points: values.multiplier_points.trim() }),
    ...(order.trim() && { order: numberOr(order) as number }),
    tag: values.tag.trim(),
    is_active: values.is_active
  }
}

const tierField = (path: string) => {
  const name = path.replace(/^(entry_rules|reward_rules)\./, '')
  return Object.hasOwn(valuesOf(null), name) ? name : null
}

/** A tier: what it needs, and what it gives. Null: a new one. */
export function TierForm({ tier, onClose }: { tier: Tier | null; onClose: () => void }) {
  const { id, currency } = useKnownStore()
  const texts = useTierTexts()
  const loyalty = useLoyaltyTexts()
  const { common } = useTexts()
  const form = useForm({ initialValues: valuesOf(tier) })
  const submit = useSubmit(form, {
    send: (values) => (tier ? changeTier(id, tier.id, tierBody(values)) : createTier(id, tierBody(values))),
    done: ({ name }) => (tier ? texts.saved : texts.created(name)),
    onDone: onClose,
    fields: tierField,
    ...(tier && {
      unlessChanged: { opened: valuesOf(tier), read: async () => valuesOf(await readTier(id, tier.id)) }
    })
  })
  return (
    <FormParts submit={submit} submitLabel={tier ? common.save : texts.create} onClose={onClose}>
      <TextInput
        label={loyalty.name}
        description={loyalty.nameHelp}
        required
        {...form.getInputProps('name')}
        data-autofocus
      />
      <Textarea
        label={loyalty.description}
        description={loyalty.descriptionHelp}
        autosize
        minRows={1}
        maxRows={6}
        {...form.getInputProps('description')}
      />
      <Fieldset legend={texts.needsLegend} p="sm">
        <Stack gap="xs">
          <Text size="sm" c="dimmed">
            {texts.needsHelp}
          </Text>
          <SimpleGrid cols={{ base: 1, xs: 3 }}>
            <TextInput label={texts.min_spend(currency)} inputMode="decimal" {...form.getInputProps('min_spend')} />
            <TextInput label={texts.points_earned} inputMode="numeric" {...form.getInputProps('points_earned')} />
            <TextInput label={texts.min_orders} inputMode="numeric" {...form.getInputProps('min_orders')} />
          </SimpleGrid>
        </Stack>
      </Fieldset>
      <Fieldset legend={texts.givesLegend} p="sm">
        <Stack gap="sm">
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput label={texts.points} inputMode="numeric" {...form.getInputProps('points')} />
            <TextInput label={texts.discount} inputMode="decimal" {...form.getInputProps('discount')} />
          </SimpleGrid>
          <Switch label={texts.freeShipping} {...form.getInputProps('shipping_discount', { type: 'checkbox' })} />
        </Stack>
      </Fieldset>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label={texts.multiplier} inputMode="decimal" {...form.getInputProps('multiplier_points')} />
        <TextInput label={texts.tag} description={texts.tagHelp} {...form.getInputProps('tag')} />
      </SimpleGrid>
      <TextInput
        label={texts.order}
        description={texts.orderHelp}
        inputMode="numeric"
        {...form.getInputProps('order')}
      />
      <Switch label={texts.active} {...form.getInputProps('is_active', { type: 'checkbox' })} />
    </FormParts>
  )
}
