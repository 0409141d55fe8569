/** Flags that hide node-llama-cpp's binaries from a child process, as on systems that have none. */
export const WITHOUT_NODE_LLAMA_CPP = [
  '--no-warnings',
  '--import',
  `data:text/javascript,${encodeURIComponent(`
    import { registerHooks } from 'node:module'
    registerHooks({
      resolve(specifier, context, next) {
        if (specifier.startsWith('@node-llama-cpp/')) throw new Error('no binary for this system')
        return next(specifier, context)
      },
    })`)}`,
]
