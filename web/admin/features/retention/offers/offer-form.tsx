import { Checkbox, Fieldset, Select, SimpleGrid, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { FormParts } from '../../../shared/forms/form-parts.tsx'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import { useTexts } from '../../../shared/texts/language.tsx'
import { changeOffer, createOffer, type Offer, readOffer, reasonsQuery } from '../queries.ts'
import { useRetentionTexts } from '../texts.ts'
import { type OfferValues, offerBody, offerField, offerValues } from './offer-values.ts'
import { useOfferTexts } from './texts.ts'

const options = (words: Record<string, string>) => Object.entries(words).map(([value, label]) => ({ value, label }))

/** An offer with its rules, for whom and for which reasons it is. Null: a new one. */
export function OfferForm({ offer, onClose }: { offer: Offer | null; onClose: () => void }) {
  const { id } = useKnownStore()
  const { data: reasons = [] } = useQuery(reasonsQuery(id))
  const texts = useOfferTexts()
  const { create, created } = useRetentionTexts()
  const { common } = useTexts()
  const form = useForm<OfferValues>({ initialValues: offerValues(offer) })
  const submit = useSubmit(form, {
    send: (values) => (offer ? changeOffer(id, offer.id, offerBody(values)) : createOffer(id, offerBody(values))),
    done: ({ name }) => (offer ? texts.saved : created(name)),
    onDone: onClose,
    fields: offerField,
    ...(offer && {
      unlessChanged: { opened: offer, read: () => readOffer(id, offer.id) }
    })
  })
  const { type } = form.getValues()
  return (
    <FormParts submit={submit} submitLabel={offer ? common.save : create} onClose={onClose}>
      <TextInput
        label={texts.name}
        description={texts.nameHelp}
        required
        {...form.getInputProps('name')}
        data-autofocus
      />
      <Textarea
        label={texts.description}
        description={texts.descriptionHelp}
        autosize
        minRows={2}
        maxRows={6}
        {...form.getInputProps('description')}
      />
      <Select
        label={texts.type}
        description={texts.typeHelp[type]}
        data={options(texts.types)}
        allowDeselect={false}
        {...form.getInputProps('type')}
      />
      <Rules form={form} />
      <Checkbox.Group label={texts.reasons} description={texts.reasonsHelp} required {...form.getInputProps('reasons')}>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt="xs">
          {reasons.map(({ alias, title }) => (
            <Checkbox key={alias} value={alias} label={title} className="wrap-anywhere" />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
      <Fieldset legend={texts.toWhom} p="xs">
        <Stack gap="xs">
          <Text size="sm" c="dimmed">
            {texts.toWhomHelp}
          </Text>
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput label={texts.memberDays} inputMode="numeric" {...form.getInputProps('min_member_days')} />
            <TextInput label={texts.sinceOffer} inputMode="numeric" {...form.getInputProps('min_days_since_offer')} />
          </SimpleGrid>
          <Switch label={texts.inTrial} {...form.getInputProps('in_trial', { type: 'checkbox' })} />
        </Stack>
      </Fieldset>
      <Switch label={texts.enabled} {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </FormParts>
  )
}

function Rules({ form }: { form: UseFormReturnType<OfferValues> }) {
  const { currency } = useKnownStore()
  const texts = useOfferTexts()
  const { type } = form.getValues()
  if (type === 'add_store_credits') {
    return (
      <TextInput label={texts.credit(currency)} inputMode="decimal" required {...form.getInputProps('credit_amount')} />
    )
  }
  if (type === 'change_frequency') {
    return (
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label={texts.intervalCount} inputMode="numeric" required {...form.getInputProps('interval_count')} />
        <Select
          label={texts.interval}
          data={options(texts.intervals)}
          allowDeselect={false}
          {...form.getInputProps('interval_name')}
        />
      </SimpleGrid>
    )
  }
  return <DiscountRules form={form} />
}

function DiscountRules({ form }: { form: UseFormReturnType<OfferValues> }) {
  const { currency } = useKnownStore()
  const texts = useOfferTexts()
  const { discount_type: kind, target_type: target, recurring_cycle_limit: limit } = form.getValues()
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select
          label={texts.target}
          data={options(texts.targets)}
          allowDeselect={false}
          {...form.getInputProps('target_type')}
        />
        <TextInput
          label={texts.cycles}
          description={limit.trim() === '' ? texts.cyclesForever : texts.cyclesHelp}
          inputMode="numeric"
          {...form.getInputProps('recurring_cycle_limit')}
        />
        {target === 'LINE_ITEM' && (
          <>
            <Select
              label={texts.discountType}
              data={options(texts.discountTypes)}
              allowDeselect={false}
              {...form.getInputProps('discount_type')}
            />
            <TextInput
              label={kind === 'percentage' ? texts.percent : texts.amount(currency)}
              inputMode="decimal"
              required
              {...form.getInputProps('discount_value')}
            />
          </>
        )}
      </SimpleGrid>
      {target === 'LINE_ITEM' && kind === 'fixed_amount' && (
        <Switch label={texts.eachItem} {...form.getInputProps('applies_on_each_item', { type: 'checkbox' })} />
      )}
    </>
  )
}
