import { Select, SimpleGrid, TagsInput, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useNavigate } from 'react-router'
import { api, bodyOf } from '../../shared/api/client.ts'
import { useKnownStore } from '../../shared/api/stores.ts'
import { FormParts } from '../../shared/forms/form-parts.tsx'
import { useSubmit } from '../../shared/forms/use-submit.ts'
import type { Plan } from './queries.ts'
import { usePlansTexts } from './texts.ts'

/** A new plan: what cannot be changed later, and its first price. Perks are set on its page. */
export function CreatePlan({ onClose }: { onClose: () => void }) {
  const { id, currency } = useKnownStore()
  const texts = usePlansTexts()
  const navigate = useNavigate()
  const form = useForm({
    initialValues: {
      name: '',
      type: 'vip' as Plan['type'],
      tier: '',
      price: '',
      interval: 'month' as Plan['interval'],
      interval_count: '1',
      credit: '',
      product_ids: [] as string[]
    }
  })
  const { type, price } = form.getValues()
  const isMembership = type !== 'product'
  const isFree = price.trim() !== '' && Number(price) === 0
  const submit = useSubmit(form, {
    send: ({ name, type, tier, price, interval, interval_count, credit, product_ids }) =>
      bodyOf(
        api.POST('/stores/{store}/plans', {
          params: { path: { store: id } },
          body: {
            name,
            type,
            price: price.trim(),
            interval,
            interval_count: (/^[0-9]+$/.test(interval_count) ? Number(interval_count) : interval_count) as number,
            ...(credit.trim() && { credit: credit.trim() }),
            ...(isMembership ? tier.trim() && { tier: tier.trim() } : { product_ids })
          }
        })
      ),
    done: ({ name }) => texts.created(name),
    onDone: (plan) => navigate(`/stores/${id}/plans/${plan.id}`)
  })
  const options = (words: Record<string, string>) => Object.entries(words).map(([value, label]) => ({ value, label }))
  return (
    <FormParts submit={submit} submitLabel={texts.create} onClose={onClose}>
      <TextInput
        label={texts.name}
        description={texts.nameHelp}
        required
        {...form.getInputProps('name')}
        data-autofocus
      />
      <Select
        label={texts.type}
        description={texts.typeHelp}
        data={options(texts.types)}
        allowDeselect={false}
        {...form.getInputProps('type')}
      />
      {isMembership ? (
        <TextInput label={texts.tier} description={texts.tierHelp} {...form.getInputProps('tier')} />
      ) : (
        <TagsInput
          label={texts.productIds}
          description={texts.productIdsHelp}
          required
          {...form.getInputProps('product_ids')}
        />
      )}
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <TextInput
          label={`${texts.price} (${currency})`}
          inputMode="decimal"
          required
          {...form.getInputProps('price')}
        />
        <TextInput label={texts.intervalCount} inputMode="numeric" {...form.getInputProps('interval_count')} />
        <Select
          label={texts.interval}
          data={options(texts.intervals)}
          allowDeselect={false}
          {...form.getInputProps('interval')}
        />
      </SimpleGrid>
      {isFree && (
        <Text size="sm" fw={500} role="status">
          {texts.free}
        </Text>
      )}
      <TextInput label={`${texts.credit} (${currency})`} inputMode="decimal" {...form.getInputProps('credit')} />
    </FormParts>
  )
}
