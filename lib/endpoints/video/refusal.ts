import { ApiError } from '@/lib/contract/errors'
import type { JobFailure } from '@/lib/services/jobs/job'

/** A provider that refused the content says so in a shape of its own. Source: API contract, README 7.1, E5. */
export function refuseVideo({ reason, message }: JobFailure): ApiError | undefined {
  if (reason !== 'content-policy') return undefined
  return new ApiError('CONTENT_POLICY_VIOLATION', message, {
    body: { error: { message, type: 'provider_content_policy', credits_refunded: true } },
  })
}
