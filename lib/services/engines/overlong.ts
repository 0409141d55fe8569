import { logSparingly } from '@/lib/kernel/log-sparingly'

/** Logs that an answer was cut, because its server did not keep the bound that it was sent. */
export function noteOverlong(model: string): void {
  logSparingly(
    'overlong answer',
    { model },
    'a model server does not keep the bound on its output; the answer was cut. Does maxTokensField name the field that it takes?',
  )
}
