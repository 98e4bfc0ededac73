# What `cmake --install` installs.
