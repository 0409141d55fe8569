/** Chooses the library that runs a chat model (docs/adr/0037). Child processes import it, so it uses no path aliases. */
import type { System } from '../processors/packages.ts'
import type { ModelOptions } from './chat-protocol.ts'

export type ChatRuntime = 'node-llama-cpp' | 'llama.node' | 'transformers.js'

type Choice = {
  runtime: ChatRuntime
  /** A sentence, where it is not the usual one. */
  reason?: string
  /** It has no GPU here. */
  isOnCpu?: true
}

/** Those that the lock has a binary of node-llama-cpp for. */
const USUAL_SYSTEMS = ['linux arm64', 'linux x64']

export function chooseRuntime(model: Pick<ModelOptions, 'projectorPath' | 'form'>, system: System): Choice {
  const { projectorPath, form } = model
  const { platform, arch } = system
  if (form === 'onnx') {
    return { runtime: 'transformers.js', reason: 'Models in ONNX files run on the CPU.', isOnCpu: true }
  }
  if (!USUAL_SYSTEMS.includes(`${platform} ${arch}`)) {
    return { runtime: 'llama.node', reason: `Models run in llama.node on ${platform} ${arch}.` }
  }
  if (projectorPath === undefined) return { runtime: 'node-llama-cpp' }
  return { runtime: 'llama.node', reason: 'Models that see images run on the CPU.', isOnCpu: true }
}

/** Tells what text models run in, which is also what reads their files when they are installed. */
export const textRuntime = (system: System): ChatRuntime => chooseRuntime({}, system).runtime
