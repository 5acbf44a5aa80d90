import { Alert, Text } from '@mantine/core'
import { useFormats } from '../../../shared/format/formats.ts'
import { usePlatformTexts } from './texts.ts'

/** Why something has failed, or does not go on at the moment. */
export function FailedTries({ failures, error }: { failures: number; error: string | null }) {
  const texts = usePlatformTexts()
  const { count } = useFormats()
  if (error === null) return null
  return (
    <Alert color="yellow" variant="outline">
      {failures > 0 && (
        <Text size="sm" fw={600}>
          {texts.failures(count(failures))}
        </Text>
      )}
      <Text size="sm" className="wrap-anywhere">
        {error}
      </Text>
    </Alert>
  )
}
