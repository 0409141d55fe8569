import type { ModelCard } from '@/lib/browser/models'
import { modelsQuery, queryClient } from '@/lib/browser/queries'

/** Tells whether a model is marked as a demo, as far as this page knows: it is not asked for titles and suggestions. */
export function isDemoModel(modelId: string): boolean {
  const models = queryClient().getQueryData<ModelCard[]>(modelsQuery().queryKey)
  return models?.find(({ id }) => id === modelId)?.isDemo === true
}
