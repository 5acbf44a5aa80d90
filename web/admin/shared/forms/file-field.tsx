import { FileInput, type FileInputProps } from '@mantine/core'
import { useTexts } from '../texts/language.tsx'

/** A file of the person's, which can be taken out again. */
export function FileField(props: FileInputProps) {
  const { common } = useTexts()
  return (
    <FileInput
      placeholder={common.chooseFile}
      clearable
      clearButtonProps={{ 'aria-label': common.noFile }}
      {...props}
    />
  )
}
