import { JsonInput, Select, Switch, TagsInput, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { ReactNode } from 'react'
import { useLanguage } from '../texts/language.tsx'
import { type DescribedKey, isRequired, kindOf, wordsOf } from './described-keys.ts'

/** The words of an area for keys that the service describes in English only. */
export type KeyTexts = {
  /** By the last part of the key. */
  keys: Record<string, { label: string; help?: string }>
  /** Words that are chosen from. */
  words?: Record<string, string>
}

type Props<Values> = {
  form: UseFormReturnType<Values>
  /** Where the keys are in the values of the form, such as `rules`. */
  prefix: string
  keys: readonly DescribedKey[]
  texts: KeyTexts
  /** Fields of its own for some keys, by key. */
  own?: Record<string, (path: string) => ReactNode>
}

/** Fields for keys that the service describes: of each what it accepts decides how it is entered. */
export function DescribedFields<Values>({ form, prefix, keys, texts, own = {} }: Props<Values>) {
  return keys.map((key) => {
    const path = `${prefix}.${key.key}`
    const made = own[key.key]
    return made ? made(path) : <DescribedField key={path} form={form} path={path} described={key} texts={texts} />
  })
}

type FieldProps<Values> = {
  form: UseFormReturnType<Values>
  path: string
  described: DescribedKey
  texts: KeyTexts
}

function DescribedField<Values>({ form, path, described, texts }: FieldProps<Values>) {
  const { label, help } = useKeyText(described, texts)
  const kind = kindOf(described)
  const input = form.getInputProps(path, { type: kind === 'flag' ? 'checkbox' : 'input' })
  const field = { label, description: help, required: isRequired(described) && kind !== 'flag', ...input }
  const words = texts.words ?? {}
  switch (kind) {
    case 'flag':
      return <Switch {...field} />
    case 'word':
      return (
        <Select
          {...field}
          allowDeselect={false}
          data={wordsOf(described).map((value) => ({ value, label: words[value] ?? readable(value) }))}
        />
      )
    case 'list':
      return <TagsInput {...field} />
    case 'lines':
      return <Textarea {...field} autosize minRows={2} maxRows={8} />
    case 'json':
      return <JsonInput {...field} autosize minRows={3} maxRows={12} ff="monospace" />
    default:
      return <TextInput {...field} inputMode={kind === 'number' ? 'decimal' : 'text'} />
  }
}

/** What a key is called and does, in the language of the person where the area has it. */
function useKeyText({ key, meaning }: DescribedKey, { keys }: KeyTexts): { label: string; help: string | undefined } {
  const { language } = useLanguage()
  const name = key.split('.').at(-1)!
  const known = keys[key] ?? keys[name]
  const help = known?.help ?? (language === 'en' || !known ? meaning : '')
  return { label: known?.label ?? readable(name), help: help === '' ? undefined : help }
}

/** `points_per_dollar` as people write it. */
function readable(name: string): string {
  const words = name.replaceAll('_', ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
