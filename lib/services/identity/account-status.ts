import { ApiError } from '@/lib/contract/errors'

export type AccountStatus = 'active' | 'disabled' | 'inactive'

/** @throws ApiError API_ACCESS_DISABLED (403) or AUTHENTICATION_FAILED_INACTIVE_KEY (401) unless the account may be used. */
export function assertActive(status: AccountStatus): void {
  if (status === 'disabled')
    throw new ApiError('API_ACCESS_DISABLED', 'API access is disabled for this account. Contact the operator.')
  if (status === 'inactive') {
    throw new ApiError('AUTHENTICATION_FAILED_INACTIVE_KEY', 'This account is not active. Contact the operator.')
  }
}
