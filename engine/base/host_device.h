#ifndef LAYOUTD_ENGINE_BASE_HOST_DEVICE_H_
#define LAYOUTD_ENGINE_BASE_HOST_DEVICE_H_

// Marks a function that a CUDA kernel may call as well as the host. Nothing
// where no CUDA compiler reads the file.

#ifdef __CUDACC__
#define LAYOUTD_HOST_DEVICE __host__ __device__
#else
#define LAYOUTD_HOST_DEVICE
#endif

#endif  // LAYOUTD_ENGINE_BASE_HOST_DEVICE_H_
