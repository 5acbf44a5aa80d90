import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { useTexts } from '../texts/language.tsx'

/** A password, which can be made visible with the keyboard too. */
export function PasswordField(props: PasswordInputProps) {
  const { common } = useTexts()
  return (
    <PasswordInput
      required
      withAsterisk={false}
      visibilityToggleButtonProps={{ 'aria-label': common.showPassword, tabIndex: 0, 'aria-hidden': false }}
      {...props}
    />
  )
}
