import type { AskedModel } from '@/lib/browser/chat-request'
import type { ModelCard } from '@/lib/browser/models'
import { modelsQuery, queryClient } from '@/lib/browser/queries'

/** What is known of a model; of one that is not listed, its id. */
export function cardOf(modelId: string): AskedModel {
  const models = queryClient().getQueryData<ModelCard[]>(modelsQuery().queryKey)
  return models?.find(({ id }) => id === modelId) ?? { id: modelId }
}
