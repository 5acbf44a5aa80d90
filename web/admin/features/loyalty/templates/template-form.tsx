import { Select, SimpleGrid, Switch, TagsInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { FormParts } from '../../../shared/forms/form-parts.tsx'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import { useTexts } from '../../../shared/texts/language.tsx'
import { changeTemplate, createTemplate, readTemplate, type Template } from '../queries.ts'
import { useLoyaltyTexts } from '../texts.ts'
import { templateBody, templateField, templateValues } from './template-values.ts'
import { useTemplateTexts } from './texts.ts'

const options = (words: Record<string, string>) => Object.entries(words).map(([value, label]) => ({ value, label }))

/** A coupon that points can buy. Null: a new one. */
export function TemplateForm({ template, onClose }: { template: Template | null; onClose: () => void }) {
  const { id, currency, timezone } = useKnownStore()
  const texts = useTemplateTexts()
  const loyalty = useLoyaltyTexts()
  const { common } = useTexts()
  const form = useForm({ initialValues: templateValues(template, timezone) })
  const submit = useSubmit(form, {
    send: (values) => {
      const body = templateBody(values, template, timezone)
      return template ? changeTemplate(id, template.id, body) : createTemplate(id, body)
    },
    done: ({ name }) => (template ? texts.saved : texts.created(name)),
    onDone: onClose,
    fields: templateField,
    ...(template && {
      unlessChanged: { opened: template, read: () => readTemplate(id, template.id) }
    })
  })
  const { type, applies_to: appliesTo } = form.getValues()
  return (
    <FormParts submit={submit} submitLabel={template ? common.save : texts.create} onClose={onClose}>
      <TextInput
        label={loyalty.name}
        description={loyalty.nameHelp}
        required
        {...form.getInputProps('name')}
        data-autofocus
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select label={texts.type} data={options(texts.types)} allowDeselect={false} {...form.getInputProps('type')} />
        <TextInput
          label={type === 'percentage' ? texts.percent : texts.amount(currency)}
          inputMode="decimal"
          required
          {...form.getInputProps('amount')}
        />
        <TextInput label={texts.price} inputMode="numeric" required {...form.getInputProps('required_points')} />
        <TextInput label={texts.prefix} maxLength={20} {...form.getInputProps('discount_code_prefix')} />
      </SimpleGrid>
      <Select
        label={texts.appliesTo}
        data={options(texts.scopes)}
        allowDeselect={false}
        {...form.getInputProps('applies_to')}
      />
      {appliesTo === 'products' && (
        <TagsInput label={texts.productIds} description={texts.idsHelp} {...form.getInputProps('product_ids')} />
      )}
      {appliesTo === 'collections' && (
        <TagsInput label={texts.collectionIds} description={texts.idsHelp} {...form.getInputProps('collection_ids')} />
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label={texts.minimum(currency)}
          description={texts.minimumHelp}
          inputMode="decimal"
          {...form.getInputProps('minimum_subtotal')}
        />
        <TextInput
          label={texts.expires}
          description={texts.expiresHelp}
          inputMode="numeric"
          {...form.getInputProps('expires_after_days')}
        />
        <TextInput
          type="datetime-local"
          label={texts.starts}
          description={texts.timesHelp(timezone)}
          {...form.getInputProps('starts_at')}
        />
        <TextInput
          type="datetime-local"
          label={texts.ends}
          description={texts.timesHelp(timezone)}
          {...form.getInputProps('ends_at')}
        />
      </SimpleGrid>
      <Switch label={texts.enabled} {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </FormParts>
  )
}
