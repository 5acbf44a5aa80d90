import { useTexts } from '../../shared/texts/language.tsx'
import { Card } from './card.tsx'
import { SignInForm } from './sign-in-form.tsx'

export function SignInPage() {
  const { signIn } = useTexts()
  return (
    <Card title={signIn.title}>
      <SignInForm />
    </Card>
  )
}
