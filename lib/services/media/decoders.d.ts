declare module '@ffmpeg/core' {
  export type FfmpegCore = {
    exec(...args: string[]): number
    ffprobe(...args: string[]): number
    setLogger(hear: (line: { type: string; message: string }) => void): void
    setTimeout(milliseconds: number): void
    FS: {
      writeFile(path: string, bytes: Uint8Array, options?: { canOwn: boolean }): void
      readFile(path: string): Uint8Array
    }
  }

  export default function create(options: {
    instantiateWasm(
      imports: WebAssembly.Imports,
      ready: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
    ): object
  }): Promise<FfmpegCore>
}

declare module 'heic-decode' {
  type Decoded = { width: number; height: number; data: Uint8ClampedArray }
  type Picture = { width: number; height: number; decode(): Promise<Decoded> }

  const decoder: { all(options: { buffer: Uint8Array }): Promise<Picture[] & { dispose(): void }> }
  export default decoder
}
