import type { Failure } from '@/lib/browser/failure'
import { msg, t } from '@/lib/i18n/t'

export type FailureWords = {
  title: string
  /** What to do, in place of the service's own message where that says less. */
  advice?: string
  canRetry: boolean
  canSwitch: boolean
}

const BUSY: FailureWords = { title: msg('At capacity right now.'), canRetry: true, canSwitch: true }
const FAILED: FailureWords = { title: msg('The model failed.'), canRetry: true, canSwitch: true }
const GONE: FailureWords = { title: msg('This model is not available.'), canRetry: false, canSwitch: true }
const REFUSED: FailureWords = { title: msg('This message was rejected.'), canRetry: false, canSwitch: true }

const WORDS: { [C in Failure['code']]?: FailureWords } = {
  OFFLINE: {
    title: msg('You’re offline.'),
    advice: msg('Your message is saved. Try again when you’re back online.'),
    canRetry: true,
    canSwitch: false,
  },
  CONNECTION_LOST: {
    title: msg('The connection was lost.'),
    advice: msg('The service couldn’t be reached. Your message is saved. Try again.'),
    canRetry: true,
    canSwitch: false,
  },
  PRO_ONLY_MODEL: { title: msg('This model requires Pro.'), canRetry: false, canSwitch: true },
  MODEL_NOT_FOUND: GONE,
  MODEL_RETIRED: GONE,
  MODEL_OFFLINE: {
    title: msg('This model is not available right now.'),
    advice: msg('Your message is saved. Try again later or switch models.'),
    canRetry: true,
    canSwitch: true,
  },
  REGION_RESTRICTED: GONE,
  context_length_exceeded: {
    title: msg('This chat is too long for the model.'),
    advice: msg('Select a model with a larger context or start a new chat.'),
    canRetry: false,
    canSwitch: true,
  },
  PAYLOAD_TOO_LARGE: { title: msg('This chat is too large to send.'), canRetry: false, canSwitch: false },
  CONTENT_POLICY_VIOLATION: { title: msg('The model declined this message.'), canRetry: false, canSwitch: true },
  RATE_LIMIT_EXCEEDED: { title: msg('Too many requests at once.'), canRetry: true, canSwitch: true },
  X402_CONCURRENCY_LIMIT: { title: msg('Too many requests at once.'), canRetry: true, canSwitch: false },
  MODEL_OVERLOADED: BUSY,
  MODEL_AT_CAPACITY: BUSY,
  SERVICE_UNAVAILABLE: BUSY,
  REQUEST_TIMEOUT: { title: msg('The model took too long.'), canRetry: true, canSwitch: true },
  INVALID_REQUEST: REFUSED,
  INVALID_MODEL: REFUSED,
}

/** What a failure is called where the answer would be, or after the part that came, and what can be done about it. */
export function failureWords({ code }: Failure, hasText = false): FailureWords {
  const { title, advice, ...ways } = WORDS[code] ?? FAILED
  const isCut = code === 'CONNECTION_LOST' && hasText
  const said = isCut ? t('The answer was interrupted here. The text so far is saved.') : advice && t(advice)
  return { title: t(title), ...(said && { advice: said }), ...ways }
}
