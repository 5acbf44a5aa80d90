import { Alert } from '@mantine/core'

/** What was refused and belongs to no field. */
export const FormAlert = ({ message }: { message: string | null }) =>
  message && (
    <Alert color="red" variant="outline" role="alert">
      {message}
    </Alert>
  )
