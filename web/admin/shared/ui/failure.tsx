import { Alert, Button, Stack, Text } from '@mantine/core'
import { ApiError, BrowserRefusal, ServiceUnreachable } from '../api/errors.ts'
import type { Texts } from '../texts/en.ts'
import { useTexts } from '../texts/language.tsx'

/** Why something is not shown, in the words of the service where it has said why, and what to do. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const { errors, common } = useTexts()
  return (
    <Alert color="red" variant="outline" title={isRefused(error) ? errors.refusedTitle : errors.title} role="alert">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{sentence(error, errors)}</Text>
        {error instanceof ApiError && error.requestId && (
          <Text size="xs" c="dimmed">
            {errors.requestId(error.requestId)}
          </Text>
        )}
        {retry && (
          <Button variant="default" size="xs" onClick={retry}>
            {common.tryAgain}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

/** Not now, because of how things are: nothing went wrong. */
const isRefused = (error: unknown) => error instanceof ApiError && error.status === 409

function sentence(error: unknown, errors: Texts['errors']): string {
  if (error instanceof ServiceUnreachable) return errors.unreachable
  if (error instanceof ApiError) return errors.signIn[error.reason ?? ''] ?? error.message
  return error instanceof BrowserRefusal ? error.message : errors.text
}
