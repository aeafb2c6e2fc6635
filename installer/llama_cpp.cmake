# For the build of llama-cpp-python, which asks for llama.cpp's library of its command line programs and uses none of it:
# half of the work. What is set here comes before what it asks for.
set(LLAMA_BUILD_COMMON OFF)
