import { NativeSelect } from '@mantine/core'
import { useTexts } from '../../texts/language.tsx'

type Props = {
  label: string
  value: string
  onChange: (value: string) => void
  choices: (readonly [value: string, label: string])[]
}

/** A filter with few choices; empty lets everything through. */
export function SelectFilter({ label, value, onChange, choices }: Props) {
  const { common } = useTexts()
  return (
    <NativeSelect
      label={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={[{ value: '', label: common.any }, ...choices.map(([value, label]) => ({ value, label }))]}
      maw={220}
    />
  )
}
