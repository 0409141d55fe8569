import { t } from '@/lib/i18n/t'

/** Whether a model can be used now. `refusesTestCredit` is why one that serves cannot. */
export type Availability = { isOffline: boolean; refusesTestCredit?: true }

/** Reads it of a `model_spec`: everybody at the pages of a sandbox has test credit. Source: API contract, models.md. */
export function availabilityOf(spec: Record<string, unknown>): Availability {
  if (spec.offline === true) return { isOffline: true }
  return spec.acceptsTestCredit === false ? { isOffline: true, refusesTestCredit: true } : { isOffline: false }
}

/** Why a model that is offline cannot be used. */
export const unavailableWords = ({ name, refusesTestCredit }: Availability & { name: string }): string =>
  refusesTestCredit
    ? t('{model} is not available with test credit.', { model: name })
    : t('{model} is currently unavailable.', { model: name })
