import assert from 'node:assert/strict'

type Shop = { platform_url: string; platform_token: string }

/** Pauses, resumes or cancels a contract directly on the platform; returns the platform's errors. */
export async function changeContractStatus(
  { platform_url, platform_token }: Shop,
  contractId: string,
  move: 'Pause' | 'Activate' | 'Cancel'
): Promise<object[]> {
  const response = await fetch(`${platform_url}/admin/api/2026-07/graphql.json`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-platform-access-token': platform_token },
    body: JSON.stringify({
      query: `mutation($id: ID!) {
        moved: subscriptionContract${move}(subscriptionContractId: $id) { userErrors { message } } }`,
      variables: { id: `gid://platform/SubscriptionContract/${contractId}` }
    })
  })
  const { data, errors } = (await response.json()) as {
    data: { moved: { userErrors: object[] } }
    errors?: unknown
  }
  assert.equal(errors, undefined, JSON.stringify(errors))
  return data.moved.userErrors
}
