import { NativeSelect, Switch, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { plansQuery } from '../../../shared/api/plans.ts'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useSettingsTexts } from '../texts.ts'
import { type Field, type FieldTexts, keyOf, type Values } from './fields.ts'

type Props = { field: Field; texts: FieldTexts; form: UseFormReturnType<Values> }

/** The input of one field, with what it means. */
export function FieldInput({ field, texts, form }: Props) {
  const { label, help, options = {} } = texts[field.name] ?? { label: field.name }
  const key = keyOf(field.name)
  const words = { label, description: help, maw: 560 }
  switch (field.kind) {
    case 'flag':
      return <Switch {...words} {...form.getInputProps(key, { type: 'checkbox' })} />
    case 'choice':
      return (
        <NativeSelect
          {...words}
          {...form.getInputProps(key)}
          data={field.options.map((value) => ({ value, label: options[value] ?? value }))}
        />
      )
    case 'plan':
      return <PlanInput type={field.type} words={words} input={form.getInputProps(key)} />
    case 'long':
      return <Textarea {...words} {...form.getInputProps(key)} autosize minRows={2} maxRows={12} />
    case 'text':
      return <TextInput {...words} {...form.getInputProps(key)} />
    default:
      return <TextInput {...words} {...form.getInputProps(key)} inputMode="numeric" maw={280} />
  }
}

type PlanProps = { type: string; words: object; input: object }

function PlanInput({ type, words, input }: PlanProps) {
  const { id } = useKnownStore()
  const { data: plans = [] } = useQuery(plansQuery(id))
  const { oldestPlan } = useSettingsTexts()
  return (
    <NativeSelect
      {...words}
      {...input}
      data={[
        { value: '', label: oldestPlan },
        ...plans.filter((plan) => plan.type === type).map(({ id: value, name }) => ({ value, label: name }))
      ]}
    />
  )
}
