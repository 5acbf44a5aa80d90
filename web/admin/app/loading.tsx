import { Center, Loader } from '@mantine/core'
import { useTexts } from '../shared/texts/language.tsx'

export function Loading() {
  const { app } = useTexts()
  return (
    <Center h="60vh" role="status" aria-label={app.loading}>
      <Loader />
    </Center>
  )
}
