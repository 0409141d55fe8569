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
