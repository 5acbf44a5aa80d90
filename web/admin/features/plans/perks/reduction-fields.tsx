import { Select, SimpleGrid, TagsInput, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { usePerksTexts } from './texts.ts'
import type { WelcomeOfferValues } from './values.ts'

/** What is taken off, and off which products. */
export function ReductionFields<Values extends WelcomeOfferValues>({ form }: { form: UseFormReturnType<Values> }) {
  const texts = usePerksTexts()
  const { type, applies_to: appliesTo } = form.getValues()
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select
          label={texts.type}
          data={Object.entries(texts.types).map(([value, label]) => ({ value, label }))}
          allowDeselect={false}
          {...form.getInputProps('type')}
          data-autofocus
        />
        <TextInput label={texts.value[type]} inputMode="decimal" {...form.getInputProps('value')} />
      </SimpleGrid>
      <Select
        label={texts.appliesTo}
        data={Object.entries(texts.scopes).map(([value, label]) => ({ value, label }))}
        allowDeselect={false}
        {...form.getInputProps('applies_to')}
      />
      {appliesTo === 'product' && (
        <TagsInput label={texts.productIds} description={texts.idsHelp} {...form.getInputProps('product_ids')} />
      )}
      {appliesTo === 'collection' && (
        <TagsInput label={texts.collectionIds} description={texts.idsHelp} {...form.getInputProps('collection_ids')} />
      )}
    </>
  )
}
