import { config } from '@/lib/kernel/config'
import { closeEngines } from '@/lib/services/engines/registry'
import {
  discoverLocalEngines,
  isCatalogueLoaded,
  loadCatalogue,
  reloadConnected,
  unloadCatalogue,
} from '@/lib/services/models/catalogue'

/** Runs with all models that callers get: those of the server that the command runs in, or else loaded for it alone. */
export async function withCatalogue<T>(run: () => Promise<T>): Promise<T> {
  if (isCatalogueLoaded()) return run()
  try {
    await loadCatalogue()
    await reloadConnected()
    if (config().modelsFile === undefined && config().findsLocalEngines) await discoverLocalEngines()
    return await run()
  } finally {
    unloadCatalogue()
    await closeEngines()
  }
}
