import { type Kept, passGate } from '@/lib/browser/account-gate'
import type { ModelCard } from '@/lib/browser/models'
import { modelsQuery, queryClient } from '@/lib/browser/queries'
import { t } from '@/lib/i18n/t'

/** Sees to it that a question to a model may go out; else why it was kept. */
export function passChatGate(modelId: string): Promise<Kept | undefined> {
  return passGate({
    why: t('To send this message'),
    whyCredit: t('Your message is sent once you add credit.'),
    isFree: isFreeModel(modelId),
  })
}

/** Whether asking it costs nothing, as far as this page knows. */
export function isFreeModel(modelId: string): boolean {
  const models = queryClient().getQueryData<ModelCard[]>(modelsQuery().queryKey)
  const price = models?.find((model) => model.id === modelId)?.price
  return price === undefined || (price.input === 0 && price.output === 0)
}
