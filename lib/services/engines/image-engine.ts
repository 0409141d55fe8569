import 'server-only'
import { type ImageEngine, unavailable } from '@/lib/services/engines/engine'
import { EMBEDDED_ENGINE, engineOptions, retoucher, upstreamClient } from '@/lib/services/engines/registry'
import { comfyImageEngine } from '@/lib/services/engines/upstream/images/comfyui'
import { upstreamImageEngine } from '@/lib/services/engines/upstream/images/images'
import { webuiImageEngine } from '@/lib/services/engines/upstream/images/webui'

/** Finds the image engine of this name. @throws EngineError `offline` when there is none. */
export function imageEngineOf(engine: string): ImageEngine {
  if (engine === EMBEDDED_ENGINE) {
    const embedded = retoucher()
    if (embedded) return embedded
    throw unavailable('image model')
  }
  const calls = upstreamClient(engine)
  const options = engineOptions(engine)
  if (options?.imageStyle === 'webui') return webuiImageEngine(calls)
  return options?.imageStyle === 'comfyui' ? comfyImageEngine(options) : upstreamImageEngine(calls)
}
