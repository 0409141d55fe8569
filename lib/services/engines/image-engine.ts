import 'server-only'
import { EngineError } from '@/lib/services/engines/engine'
import { EMBEDDED_ENGINE, engineOptions, retoucher } from '@/lib/services/engines/registry'
import { upstreamCalls } from '@/lib/services/engines/upstream/http-client-registry'
import { comfyPainter } from '@/lib/services/engines/upstream/images/comfyui'
import { upstreamPainter } from '@/lib/services/engines/upstream/images/images'
import { webuiPainter } from '@/lib/services/engines/upstream/images/webui'

/** A picture that was decoded and written anew here: upright, sRGB, without metadata, PNG wherever it is see-through. */
export type InputPicture = {
  bytes: Uint8Array
  mime: 'image/png' | 'image/jpeg'
  width: number
  height: number
  /** What share of its pixels is see-through, 0 to 1. */
  clearShare: number
}

export type PaintRequest = {
  /** The engine's own name of the model. */
  model: string
  prompt: string
  negativePrompt?: string
  width: number
  height: number
  quality?: 'low' | 'medium' | 'high'
  steps?: number
  cfgScale?: number
  seed?: number
  /** Whether the engine's own check of content should be strict, where it has one. */
  isSafe: boolean
}

export type EditRequest = {
  model: string
  prompt: string
  /** The first is what is changed; where it is see-through, it is to be filled. */
  images: InputPicture[]
  /** Nothing: as the first picture. */
  size?: { width: number; height: number }
  quality?: 'low' | 'medium' | 'high'
}

type UpscaleRequest = { model: string; image: InputPicture; factor: 2 | 4; creativity: number }
type CutOutRequest = { model: string; image: InputPicture }

/** What makes and changes pictures. Each answers with one file, of any format, that nobody has looked at yet. */
export interface Painter {
  /** @throws EngineError */
  paint(request: PaintRequest, signal: AbortSignal): Promise<Uint8Array>
  /** @throws EngineError */
  edit(request: EditRequest, signal: AbortSignal): Promise<Uint8Array>
  /** @throws EngineError */
  upscale(request: UpscaleRequest, signal: AbortSignal): Promise<Uint8Array>
  /** The picture without its background. @throws EngineError */
  cutOut(request: CutOutRequest, signal: AbortSignal): Promise<Uint8Array>
}

type ImageStyle = 'openai' | 'webui' | 'comfyui'

/**
 * What makes pictures under this engine's name.
 *
 * @throws EngineError `offline` when there is none.
 */
export function painterOf(engine: string): Painter {
  if (engine === EMBEDDED_ENGINE) {
    const embedded = retoucher()
    if (embedded) return embedded
    throw new EngineError('offline', 'The image model is not available at the moment. Choose another one.')
  }
  const calls = upstreamCalls(engine)
  // The field is part of an engine's definition in the models file, which the registry keeps whole.
  const options = engineOptions(engine) as { imageStyle?: ImageStyle } | undefined
  if (options?.imageStyle === 'webui') return webuiPainter(calls)
  return options?.imageStyle === 'comfyui' ? comfyPainter(engine) : upstreamPainter(calls)
}
